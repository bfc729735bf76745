import { Group } from '@mantine/core';
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

interface PurposeFormProps {
  /** Called with the purpose on submission. */
  readonly onSubmit: (purpose: string) => void;
  /** Whether other conditions for the submission are met. */
  readonly isReady?: boolean;
  /** Fields before the purpose. */
  readonly fields?: ReactNode;
  readonly autoFocus?: boolean;
  /** Returns the buttons. The purpose is undefined while the form can't be submitted. */
  readonly children: (purpose: string | undefined) => ReactNode;
}

/** A form that needs a purpose. */
export function PurposeForm({ onSubmit, isReady = true, fields, autoFocus, children }: PurposeFormProps) {
  const [typed, setTyped] = useState('');
  const purpose = isReady && isPurpose(typed) ? typed.trim() : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (purpose !== undefined) onSubmit(purpose);
      }}
    >
      {fields}
      <PurposeField value={typed} onChange={setTyped} {...(autoFocus ? { autoFocus } : {})} />
      <Group gap="xs" mb="sm">
        {children(purpose)}
      </Group>
    </form>
  );
}
