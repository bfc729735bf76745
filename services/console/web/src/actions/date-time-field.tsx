import { TextInput } from '@mantine/core';
import { useViolation } from '../components/fields.tsx';

interface DateTimeFieldProps {
  readonly id: string;
  readonly label: string;
  /** In the browser's format without a time zone: "2026-11-20T09:30". */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
  /** Path of the field in the request. Its violation appears here. */
  readonly path?: string;
}

/** Input of a date and time in UTC. */
export function DateTimeField({ id, label, value, onChange, help, path = '' }: DateTimeFieldProps) {
  const error = useViolation(path);
  return (
    <TextInput
      label={`${label}, in UTC`}
      description={help}
      id={id}
      type="datetime-local"
      mb="sm"
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Returns the input with its zone: "2026-11-20T09:30:00Z", or undefined while it is invalid. */
export function timeIn(value: string): string | undefined {
  const at = new Date(`${value}Z`);
  return value === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z');
}
