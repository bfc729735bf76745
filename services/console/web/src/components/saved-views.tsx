import { Button, CloseButton, Group, Stack, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { defaultParseSearch, Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { rootSearch, type SubmissionsSearch, submissionsSearch } from '../searches.ts';
import { savedBy, useSession } from '../session.ts';
import { DropDown } from './drop-down.tsx';
import { CHIP_BUTTON, chipLook } from './filter-bar.tsx';

interface View {
  readonly name: string;
  /** The address with its filters. */
  readonly href: string;
}

function searchOf({ href }: View): SubmissionsSearch {
  const given = defaultParseSearch(new URL(href, window.location.origin).search);
  return { ...rootSearch(given), ...submissionsSearch(given) };
}

/** Names for the filters of a list, which this browser remembers for the person until they log out. */
export function SavedViews({ list }: { readonly list: string }) {
  const { href } = useLocation();
  const [name, setName] = useState('');
  const { subject } = useSession();
  const [views, setViews] = useLocalStorage<readonly View[]>({
    key: `${savedBy(subject)}views of ${list}`,
    defaultValue: [],
  });
  return (
    <Group gap={0} {...chipLook(false)}>
      <DropDown label="Views" button={{ ...CHIP_BUTTON, c: 'var(--gray)', children: 'Views ▾' }}>
        {() => (
          <Stack gap="xs">
            {views.map((view) => (
              <Group key={view.name} justify="space-between">
                <Link to="/submissions" search={searchOf(view)}>
                  {view.name}
                </Link>
                <CloseButton
                  size="xs"
                  aria-label={`Delete view ${view.name}`}
                  onClick={() => setViews(views.filter((one) => one !== view))}
                />
              </Group>
            ))}
            <form
              onSubmit={(event) => {
                event.preventDefault();
                if (name.trim() === '') return;
                setViews([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), href }]);
                setName('');
              }}
            >
              <Group gap="xs" align="end">
                <TextInput
                  size="xs"
                  label="Name of the view"
                  value={name}
                  maxLength={60}
                  onChange={(event) => setName(event.currentTarget.value)}
                />
                <Button type="submit" size="xs">
                  Save
                </Button>
              </Group>
            </form>
          </Stack>
        )}
      </DropDown>
    </Group>
  );
}
