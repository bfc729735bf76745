/** The browser's storage and window. Modules read them when they are loaded, so import this file before those. */
const stored = new Map<string, string>();

Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  },
});
