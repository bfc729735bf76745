import { Button, Group } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { errorMessage } from '../calls.ts';
import { createStore } from '../store.ts';

/** Loaded for the first toast, because the first page needs none. */
const Notifications = lazy(() =>
  import('@mantine/notifications').then((library) => ({ default: library.Notifications })),
);

const isNeeded = createStore(false);

/** Shows that an action is done, and offers to undo it where that reverses it completely. */
export function showToast(message: string, undo?: () => Promise<unknown>): void {
  isNeeded.set(true);
  void import('@mantine/notifications').then(({ notifications }) => {
    const revert = async () => {
      notifications.hide(id);
      await undo?.().then(
        () => showToast('Undone'),
        (error: unknown) => notifications.show({ message: errorMessage(error), color: 'red' }),
      );
    };
    const id = notifications.show({
      message: undo ? (
        <Group justify="space-between">
          {message}
          <Button size="compact-xs" onClick={() => void revert()}>
            Undo
          </Button>
        </Group>
      ) : (
        message
      ),
      color: 'green',
      closeButtonProps: { 'aria-label': 'Close' },
    });
  });
}

/** The place of the toasts. */
export const Toasts = () =>
  isNeeded.use() ? (
    <Suspense>
      <Notifications position="bottom-right" />
    </Suspense>
  ) : null;
