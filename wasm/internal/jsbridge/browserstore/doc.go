// Package browserstore keeps the records of this device in what the browser has
// for it, outside of the vault: in the origin private file system (OPFS) or, where
// that is not to be had, in a database (IDB). Both are host.Stores; which of them
// a core gets is for package devicestore to choose.
//
// The object "records" of the core's global scope (bridge/core.ts) has what is
// needed of the browser. What may throw when it is looked at is a function there.
//
//	storage()     navigator.storage
//	indexedDB()   the factory of databases
//	range         IDBKeyRange
package browserstore
