import { Group, Kbd, Text, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, useState } from 'react';
import { OnDemand } from '../components/on-demand.tsx';
import { outsideFields } from './shortcuts.ts';

/** Loaded when it is opened first. */
const Palette = lazy(() => import('./palette.tsx'));

const SEARCH_HINT = 'Search by reference, submission, APP-…, request ID';

/** The search field of the shell. It opens the search, as do `/` and Ctrl+K. */
export function Search() {
  const [isLoaded, setLoaded] = useState(false);
  const [text, setText] = useState('');
  const open = () => {
    setLoaded(true);
    const stop = takeKeys((key) => setText((before) => before + key));
    void import('@mantine/spotlight').then(({ spotlight }) => spotlight.open(), stop);
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
            {SEARCH_HINT}
          </Text>{' '}
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        </Group>
      </UnstyledButton>
      {isLoaded ? (
        <OnDemand>
          <Palette placeholder={SEARCH_HINT} text={text} onChange={setText} />
        </OnDemand>
      ) : null}
    </>
  );
}

/** Takes the keys that are typed before the search has the focus. Returns a function that ends this. */
function takeKeys(take: (key: string) => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (document.activeElement?.closest('[role=dialog]') || event.key === 'Escape') return stop();
    if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    take(event.key);
  };
  const stop = () => window.removeEventListener('keydown', onKey, true);
  window.addEventListener('keydown', onKey, true);
  return stop;
}
