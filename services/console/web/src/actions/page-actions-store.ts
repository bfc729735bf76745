import { useSyncExternalStore } from 'react';

export interface PageAction {
  readonly name: string;
  readonly open: () => void;
  /** Position among the actions of the page. */
  readonly order: number;
}

let published: readonly PageAction[] = [];
const watchers = new Set<() => void>();
/** Offers the actions of the open page in the command palette. */
export function publishActions(actions: readonly PageAction[]): void {
  published = actions;
  for (const watcher of watchers) watcher();
}
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
};

/** Returns the actions of the page that is open. */
export const usePageActions = (): readonly PageAction[] => useSyncExternalStore(watch, () => published);
