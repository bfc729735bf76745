import { TextInput } from '@mantine/core';
import { useId } from 'react';

const SHORTEST = 3;
const LONGEST = 200;

/** Returns whether the contract accepts the text as a purpose. */
export const isPurpose = (text: string): boolean => text.trim().length >= SHORTEST;

interface PurposeFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

/** Input of the purpose for reading or changing a person's data. */
export function PurposeField({ value, onChange, autoFocus = false }: PurposeFieldProps) {
  const id = useId();
  return (
    <TextInput
      label="Purpose"
      description="Recorded in the audit log. Enter a case number, not personal details."
      id={id}
      value={value}
      maxLength={LONGEST}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      data-autofocus={autoFocus || undefined}
    />
  );
}
