import { Kbd, UnstyledButton } from '@mantine/core';
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
      <UnstyledButton className="search" onClick={open} aria-keyshortcuts="/ Control+K">
        {SHELL.searchPlaceholder}{' '}
        <Kbd size="xs" visibleFrom="sm">
          /
        </Kbd>
      </UnstyledButton>
      {isLoaded ? (
        <Suspense>
          <Palette />
        </Suspense>
      ) : null}
    </>
  );
}
