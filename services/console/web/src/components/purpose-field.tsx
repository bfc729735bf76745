import { TextField } from './fields.tsx';

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
export const PurposeField = (props: PurposeFieldProps) => (
  <TextField
    {...props}
    path="purpose"
    label="Purpose"
    description="Recorded in the audit log. Enter a case number, not personal details."
    shortest={SHORTEST}
    maxLength={LONGEST}
    autoComplete="off"
  />
);
