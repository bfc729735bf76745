import { useSyncExternalStore } from 'react';

/** A setting of the person that this browser remembers. */
export interface Preference<Value extends string> {
  readonly value: () => Value;
  readonly set: (value: Value) => void;
  /** Returns the value, and renders again when it changes. */
  readonly use: () => Value;
}

/** Creates a preference. The first of its values is the default. */
function preference<Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): Preference<Value> {
  const watchers = new Set<() => void>();
  const stored = localStorage.getItem(name);
  let current = values.find((value) => value === stored) ?? values[0];
  const watch = (watcher: () => void) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  };
  return {
    value: () => current,
    set(value) {
      current = value;
      localStorage.setItem(name, value);
      for (const watcher of watchers) watcher();
    },
    use: () => useSyncExternalStore(watch, () => current),
  };
}

export const timeZone = preference('time-zone', ['utc', 'local']);
/** The environment that was shown last in any tab. */
export const lastEnvironment = preference('environment', ['production', 'sandbox']);
