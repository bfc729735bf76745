import type { PolicyRule } from '@supplier/proto/submission/v1/policies';

/** Returns the contents of rules by their names. */
const contentsOf = (rules: readonly PolicyRule[]): ReadonlyMap<string, string> =>
  new Map(
    rules.map(({ rule, condition, outcome, reason }) => [rule, JSON.stringify([condition, outcome, reason])]),
  );

/** Returns how rules differ from other rules, by the names of the rules. */
export function compareRules(before: readonly PolicyRule[], after: readonly PolicyRule[]) {
  const [old, present] = [contentsOf(before), contentsOf(after)];
  const names = [...present.keys()];
  return {
    added: names.filter((name) => !old.has(name)),
    changed: names.filter((name) => old.has(name) && old.get(name) !== present.get(name)),
    removed: [...old.keys()].filter((name) => !present.has(name)),
  };
}
