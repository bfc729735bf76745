import { FormGroup, InputGroup } from '@blueprintjs/core';

interface MomentFieldProps {
  readonly id: string;
  readonly label: string;
  /** As a browser writes a time without a zone: "2026-11-20T09:30". */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
}

/** A moment, in UTC as all times here. */
export const MomentField = ({ id, label, value, onChange, help }: MomentFieldProps) => (
  <FormGroup label={`${label}, in UTC`} labelFor={id} helperText={help}>
    <InputGroup id={id} type="datetime-local" value={value} onValueChange={onChange} />
  </FormGroup>
);

/** What was entered as a time with its zone: "2026-11-20T09:30:00Z"; undefined while it is none. */
export function timeIn(value: string): string | undefined {
  const at = new Date(`${value}Z`);
  return value === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z');
}
