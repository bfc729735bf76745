import { Group, Kbd, Text, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { SHELL } from './shell-texts.ts';
import { outsideFields } from './shortcuts.ts';

/** Loaded when it is opened first. */
const Palette = lazy(() => import('./palette.tsx'));

/** The search field of the shell. It opens the search, as do `/` and Ctrl+K. */
export function Search() {
  const [isLoaded, setLoaded] = useState(false);
  const open = () => {
    setLoaded(true);
    void import('@mantine/spotlight').then(({ spotlight }) => spotlight.open());
  };
  useHotkeys(
    [
      ['/', outsideFields(open), { preventDefault: false }],
      ['mod+K', open],
    ],
    [],
  );
  return (
    <>
      <UnstyledButton
        onClick={open}
        aria-keyshortcuts="/ Control+K"
        flex="0 1 560px"
        miw={0}
        px={12}
        py={6}
        bd="1px solid var(--line)"
        bdrs="sm"
        c="dimmed"
      >
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text span truncate size="md">
            {SHELL.searchPlaceholder}
          </Text>{' '}
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        </Group>
      </UnstyledButton>
      {isLoaded ? (
        <Suspense>
          <Palette />
        </Suspense>
      ) : null}
    </>
  );
}
