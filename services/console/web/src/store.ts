import { useSyncExternalStore } from 'react';

/** A value that components share. */
export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  /** Returns the value, and renders again when it changes. */
  readonly use: () => Value;
}

export function createStore<Value>(value: Value): Store<Value> {
  const watchers = new Set<() => void>();
  const watch = (watcher: () => void) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  };
  let current = value;
  const get = () => current;
  return {
    get,
    set(next) {
      current = next;
      for (const watcher of watchers) watcher();
    },
    use: () => useSyncExternalStore(watch, get),
  };
}
