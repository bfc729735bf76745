import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageAction, pageActions } from '../actions/page-actions.tsx';
import { errorMessage } from '../calls.ts';
import { useSession } from '../session.ts';
import { screenGroupsFor } from './screens.ts';
import { isPersonal, useSearchResults } from './search-results.ts';

const PAUSE_MS = 200;

interface PaletteProps {
  readonly placeholder: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/**
 * The search and the command palette, in one dialog. They find submissions and suppliers as the person types, go to any
 * screen, and run the actions of the open page. Personal details are never searched for.
 */
export default function Palette({ placeholder, text, onChange }: PaletteProps) {
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const { results, error } = useSearchResults(settled);
  const { roles } = useSession();
  const [actions, setActions] = useState<readonly PageAction[]>([]);
  const navigate = useNavigate();
  const what = text.trim();
  const matches = ({ name }: { readonly name: string }) => name.toLowerCase().includes(what.toLowerCase());
  const screens = screenGroupsFor(roles)
    .flatMap((group) => group.screens)
    .filter(matches);
  return (
    <Spotlight.Root
      query={text}
      onQueryChange={onChange}
      onSpotlightOpen={() => setActions(pageActions())}
      shortcut={null}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search placeholder={placeholder} aria-label="Search" maxLength={128} autoComplete="off" />
      {isPersonal(what) ? (
        <p role="alert">To search for a person, open Data requests and state a purpose.</p>
      ) : (
        <Spotlight.ActionsList>
          {/* Above the results: otherwise it moves away from the pointer when they arrive. */}
          {what === '' ? null : (
            <Spotlight.Action
              label={`Search for “${what}”`}
              onClick={() => void navigate({ to: '/find', search: { what } })}
            />
          )}
          {error ? <Alert color="red">{`Search failed: ${errorMessage(error)}`}</Alert> : null}
          {results.length > 0 ? (
            <Spotlight.ActionsGroup label="Results">
              {results.map(({ key, label, description, link }) => (
                <Spotlight.Action
                  key={key}
                  label={label}
                  description={description}
                  onClick={() => void navigate(link)}
                />
              ))}
            </Spotlight.ActionsGroup>
          ) : null}
          {actions.some(matches) ? (
            <Spotlight.ActionsGroup label="Actions">
              {actions.filter(matches).map(({ name, open }) => (
                <Spotlight.Action key={name} label={name} onClick={open} />
              ))}
            </Spotlight.ActionsGroup>
          ) : null}
          {screens.length > 0 ? (
            <Spotlight.ActionsGroup label="Go to">
              {screens.map(({ path, name }) => (
                <Spotlight.Action key={path} label={name} onClick={() => void navigate({ to: path })} />
              ))}
            </Spotlight.ActionsGroup>
          ) : null}
        </Spotlight.ActionsList>
      )}
    </Spotlight.Root>
  );
}
