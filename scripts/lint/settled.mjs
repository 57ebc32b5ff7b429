// A lint rule: no promise is settled with a thing that has a `then` of its own
// and is no promise. The app's settings and their components have one, to chain
// calls: `then(cb)` calls cb with the setting itself. A promise that is settled
// with a setting therefore asks it again for ever, in microtasks, and the app
// stands still. TypeScript notices `await setting`, and not `.catch(() => setting)`.

/** The types of a union, or the one type. */
const members = (type) => (type.isUnion() ? type.types : [type]);

/** Whether a type can be called through a property of that name. */
function callable(checker, type, name, node) {
	const property = type.getProperty(name);
	return (
		property !== undefined && checker.getTypeOfSymbolAtLocation(property, node).getCallSignatures().length > 0
	);
}

/** Whether a type has a `then` whose callback is handed the thing itself, so that waiting for it never ends. */
const neverEnds = (checker, type, node) =>
	callable(checker, type, "then", node) &&
	!callable(checker, type, "catch", node) &&
	!/^PromiseLike\b/.test(checker.typeToString(type));

export default {
	meta: {
		type: "problem",
		schema: [],
		messages: {
			settled:
				"This promise can be settled with a {{type}}, which has a `then` that calls back with itself: waiting for it never ends. Put the call in braces and return nothing.",
		},
	},
	create(context) {
		const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
		const checker = program.getTypeChecker();
		return {
			CallExpression(node) {
				const at = esTreeNodeToTSNodeMap.get(node);
				const settledWith = members(checker.getTypeAtLocation(at))
					.filter((type) => callable(checker, type, "then", at) && callable(checker, type, "catch", at))
					.flatMap((promise) => checker.getTypeArguments(promise))
					.flatMap(members);
				const found = settledWith.find((type) => neverEnds(checker, type, at));
				if (found)
					context.report({ node, messageId: "settled", data: { type: checker.typeToString(found) } });
			},
		};
	},
};
