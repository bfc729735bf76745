/** The browser's storage. Modules with preferences read it when they are loaded, so import this file before them. */
const stored = new Map<string, string>();

Object.assign(globalThis, {
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  },
});
