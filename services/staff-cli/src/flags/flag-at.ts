import { labelOf } from './build-request.ts';
import type { Flag } from './flags-of.ts';

/**
 * How a user knows the field that a service names by its path: the flag of it, or of the list that it is an item of, or for
 * a message the flags that it cannot be without. Undefined for what has none.
 */
export function flagAt(flags: readonly Flag[], path: string): string | undefined {
  const named = path.replace(/\[\d+\]/g, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const flag = flags.find((one) => one.path === named);
  if (flag) return labelOf(flag);
  const inside = flags.filter((one) => one.required && one.path.startsWith(`${named}.`));
  return inside.map(labelOf).join(', ') || undefined;
}
