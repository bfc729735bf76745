import { Button, Group, Menu } from '@mantine/core';
import {
  Children,
  createContext,
  isValidElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { type PageAction, publishActions } from './page-actions-store.ts';

interface Slot {
  readonly order: number;
  readonly register: (action: PageAction) => () => void;
}
const SlotContext = createContext<Slot | undefined>(undefined);

interface PageActionsProps {
  /** Number of actions that are buttons. The others are in the menu. */
  readonly buttons?: number;
  /** What the actions belong to, if only to a part of the page. */
  readonly of?: string;
  readonly children: ReactNode;
}

/** The actions of a page: the first as buttons, the others under *More*, and all of them in the command palette. */
export function PageActions({ buttons = 2, of, children }: PageActionsProps) {
  const [actions, setActions] = useState<readonly PageAction[]>([]);
  const register = useCallback((action: PageAction) => {
    setActions((before) => [...before, action].toSorted((a, b) => a.order - b.order));
    return () => setActions((before) => before.filter((one) => one !== action));
  }, []);
  useEffect(() => {
    if (of !== undefined) return;
    publishActions(actions);
    return () => publishActions([]);
  }, [actions, of]);
  const more = actions.slice(buttons);
  return (
    <>
      {actions.slice(0, buttons).map(({ name, open }) => (
        <Button key={name} onClick={open}>
          {name}
        </Button>
      ))}
      {more.length > 0 ? (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button aria-label={of === undefined ? undefined : `More actions of ${of}`}>More ▾</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {more.map(({ name, open }) => (
              <Menu.Item key={name} onClick={open}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
      {Children.toArray(children).map((child, order) => (
        <SlotContext key={isValidElement(child) ? child.key : order} value={{ order, register }}>
          {child}
        </SlotContext>
      ))}
    </>
  );
}

const IsInRow = createContext(false);

/** The actions of a row of a table, as small buttons. */
export const RowActions = ({ children }: { readonly children: ReactNode }) => (
  <IsInRow value={true}>
    <Group gap="xs" wrap="nowrap">
      {children}
    </Group>
  </IsInRow>
);

/** Returns the button that opens an action, or nothing if its page lists it. */
export function useActionTrigger(name: string, open: () => void): ReactNode {
  const slot = useContext(SlotContext);
  const isInRow = useContext(IsInRow);
  const latest = useRef(open);
  latest.current = open;
  const { order, register } = slot ?? {};
  useEffect(
    () => (order === undefined ? undefined : register?.({ name, order, open: () => latest.current() })),
    [name, order, register],
  );
  return slot ? null : (
    <Button size={isInRow ? 'compact-xs' : 'xs'} onClick={open}>
      {name}
    </Button>
  );
}
