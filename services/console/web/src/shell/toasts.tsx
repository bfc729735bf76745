import { lazy, Suspense, useSyncExternalStore } from 'react';

/** Loaded for the first toast, because the first page needs none. */
const Notifications = lazy(() =>
  import('@mantine/notifications').then((library) => ({ default: library.Notifications })),
);

let isNeeded = false;
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
};

/** Shows that an action is done. */
export function showToast(message: string): void {
  isNeeded = true;
  for (const watcher of watchers) watcher();
  void import('@mantine/notifications').then(({ notifications }) =>
    notifications.show({ message, color: 'green', closeButtonProps: { 'aria-label': 'Close' } }),
  );
}

/** The place of the toasts. */
export const Toasts = () =>
  useSyncExternalStore(watch, () => isNeeded) ? (
    <Suspense>
      <Notifications position="bottom-right" />
    </Suspense>
  ) : null;
