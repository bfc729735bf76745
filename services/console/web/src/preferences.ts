import { createStore, type Store } from './store.ts';

/** Creates a setting of the person that this browser remembers. The first of its values is the default. */
function preference<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Store<Value> {
  const stored = localStorage.getItem(name);
  const store = createStore(values.find((value) => value === stored) ?? values[0]);
  return {
    ...store,
    set(value) {
      localStorage.setItem(name, value);
      store.set(value);
    },
  };
}

export const timeZone = preference('time-zone', ['utc', 'local']);
/** The environment that was shown last in any tab. */
export const lastEnvironment = preference('environment', ['production', 'sandbox']);
