import { Box, Button, Group, Kbd, Menu } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Children, createContext, isValidElement, type ReactNode, useContext, useRef, useState } from 'react';
import { besideControl, KEEP_DEFAULT } from '../shell/shortcuts.ts';

/** Where the button of an action is: visible on the page, behind *More*, or in a row of a table. */
const Place = createContext<'page' | 'more' | 'row' | undefined>(undefined);

/** The keys that open actions, by name. */
type ActionKeys = Readonly<Record<string, string>>;

const NO_KEYS: ActionKeys = {};
const Keys = createContext(NO_KEYS);

interface PageActionsProps {
  /** Number of actions that are buttons. The others are in the menu. */
  readonly buttons?: number;
  /** What the actions belong to, if only to a part of the page. */
  readonly of?: string;
  readonly keys?: ActionKeys;
  /** Each renders one action. */
  readonly children: ReactNode;
}

/** The actions of a page: the first as buttons, the others under *More*, and all of them in the command palette. */
export function PageActions({ buttons = 2, of, keys = NO_KEYS, children }: PageActionsProps) {
  const place = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState<readonly PageAction[]>([]);
  const actions = Children.toArray(children);
  return (
    <Box ref={place} display="contents" data-actions={of === undefined ? 'page' : 'part'}>
      <Keys value={keys}>
        {actions.map((child, at) => (
          <Place key={isValidElement(child) ? child.key : at} value={at < buttons ? 'page' : 'more'}>
            {child}
          </Place>
        ))}
      </Keys>
      {actions.length > buttons ? (
        <Menu
          position="bottom-end"
          onOpen={() => setMore(place.current ? buttonsIn(place.current, '[data-place=more]') : [])}
        >
          <Menu.Target>
            <Button aria-label={of === undefined ? undefined : `More actions of ${of}`}>More ▾</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {more.map(({ name, open, isDestructive }) => (
              <Menu.Item
                key={name}
                onClick={open}
                rightSection={hintOf(keys[name])}
                aria-keyshortcuts={keys[name]}
                {...(isDestructive ? { c: RED } : {})}
              >
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </Box>
  );
}

/** The actions of a row of a table, as small buttons. */
export const RowActions = ({ children }: { readonly children: ReactNode }) => (
  <Place value="row">
    <Group gap="xs" wrap="nowrap">
      {children}
    </Group>
  </Place>
);

const RED = 'var(--red)';
/** Destructive actions are red, and filled if they are the main ones. */
const lookOf = (isPrimary: boolean, isDestructive: boolean) => {
  if (isPrimary) return { variant: 'filled', color: isDestructive ? 'red.9' : 'blue' };
  return isDestructive ? { c: RED } : {};
};

/** The button that opens an action, and its key. Behind *More* it is hidden, and the menu presses it. */
export function ActionTrigger({
  name,
  onOpen,
  isPrimary = false,
  isDestructive = false,
}: {
  readonly name: string;
  readonly onOpen: () => void;
  /** Whether it is the main action of its screen. */
  readonly isPrimary?: boolean;
  /** Whether it takes something away. */
  readonly isDestructive?: boolean;
}) {
  const place = useContext(Place);
  const key = useContext(Keys)[name];
  const button = useRef<HTMLButtonElement>(null);
  useHotkeys(key === undefined ? [] : [[key, besideControl(onOpen, () => button.current), KEEP_DEFAULT]], []);
  return (
    <Button
      ref={button}
      data-name={name}
      aria-keyshortcuts={key}
      size={place === 'row' ? 'compact-xs' : 'xs'}
      display={place === 'more' ? 'none' : undefined}
      data-place={place}
      data-destructive={isDestructive || undefined}
      onClick={onOpen}
      {...lookOf(isPrimary, isDestructive)}
    >
      {name}
      {hintOf(key)}
    </Button>
  );
}

const hintOf = (key: string | undefined) =>
  key === undefined ? null : (
    <Kbd size="xs" ml={8} visibleFrom="md" aria-hidden>
      {key}
    </Kbd>
  );

export interface PageAction {
  readonly name: string;
  readonly isDestructive: boolean;
  readonly open: () => void;
}

const buttonsIn = (place: ParentNode, selector: string): readonly PageAction[] =>
  [...place.querySelectorAll<HTMLButtonElement>(selector)].map((button) => ({
    name: button.dataset.name ?? button.textContent,
    isDestructive: button.dataset.destructive !== undefined,
    open: () => button.click(),
  }));

/** Returns the actions of the open page, without those of its parts. */
export const pageActions = (): readonly PageAction[] => buttonsIn(document, '[data-actions=page] > button');
