/** All locales of Moment: imported for what it does to Moment. */
declare module "moment/min/locales";
