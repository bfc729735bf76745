import { Button, Group, Text } from '@mantine/core';
import { reasonProblem } from '@supplier/lib/text/written';
import { type ReactNode, useState } from 'react';
import { TextField } from './fields.tsx';

export const LONGEST = 200;

/** Returns whether the contract accepts the text as a purpose, a reason or a note. */
export const isPurpose = (text: string): boolean => reasonProblem(text) === undefined;

/** Input of the purpose for reading or changing a person's data. */
export const PurposeField = (props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}) => (
  <TextField
    {...props}
    path="purpose"
    label="Purpose"
    description="Recorded in the audit log. Enter a case number, not personal details."
    isReason
    maxLength={LONGEST}
    autoComplete="off"
  />
);

/** What a form does with a purpose. */
interface PurposeAction {
  readonly name: string;
  readonly run: (purpose: string) => void;
}

/** A form that needs a purpose. Enter runs the first of its actions. */
export function PurposeForm({
  actions,
  isBusy = false,
  unready,
  fields,
  autoFocus = false,
  children,
}: {
  readonly actions: readonly [PurposeAction, ...PurposeAction[]];
  /** Whether an action is in progress. */
  readonly isBusy?: boolean;
  /** Which other condition isn't met. */
  readonly unready?: string | undefined;
  /** Fields before the purpose. */
  readonly fields?: ReactNode;
  readonly autoFocus?: boolean;
  /** What follows the buttons. */
  readonly children?: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  const missing = unready ?? (isPurpose(typed) ? undefined : 'Enter a purpose first.');
  const isReady = missing === undefined && !isBusy;
  const [first] = actions;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) first.run(typed.trim());
      }}
    >
      {fields}
      <PurposeField value={typed} onChange={setTyped} autoFocus={autoFocus} />
      <Group gap="xs" mb="sm">
        {actions.map((action) => (
          <Button
            key={action.name}
            disabled={!isReady}
            {...(action === first
              ? { type: 'submit', variant: 'filled' }
              : { onClick: () => action.run(typed.trim()) })}
          >
            {action.name}
          </Button>
        ))}
        {children}
        {missing === undefined ? null : (
          <Text size="sm" c="dimmed">
            {missing}
          </Text>
        )}
      </Group>
    </form>
  );
}
