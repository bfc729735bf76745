import { FormGroup, InputGroup } from '@blueprintjs/core';
import { useId } from 'react';

const SHORTEST = 3;
const LONGEST = 200;

/** Returns whether the contract accepts the text as a purpose. */
export const isPurpose = (text: string): boolean => text.trim().length >= SHORTEST;

interface PurposeProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

/** Input of the purpose for reading or changing a person's data. */
export function Purpose({ value, onChange, autoFocus = false }: PurposeProps) {
  const id = useId();
  return (
    <FormGroup
      label="Purpose"
      labelFor={id}
      helperText="It stays in the audit log: your file’s number, nothing of the person."
    >
      <InputGroup
        id={id}
        value={value}
        maxLength={LONGEST}
        onValueChange={onChange}
        autoComplete="off"
        autoFocus={autoFocus}
      />
    </FormGroup>
  );
}
