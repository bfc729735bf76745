import type { DescEnum } from '@bufbuild/protobuf';
import { Checkbox, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { reasonProblem } from '@supplier/lib/text/written';
import { createContext, type ReactNode, useContext } from 'react';
import { asSentence } from '../calls.ts';
import { enumLabel } from '../format.ts';

/** The violations that the service found in the fields of a form, by their path in the request. */
export const FieldErrors = createContext<ReadonlyMap<string, string>>(new Map());

/** Returns the violation of a field, which may be a field of an item in a list. */
export function useViolation(path: string): string | undefined {
  const violations = useContext(FieldErrors);
  return violations.get(path) ?? [...violations].find(([found]) => found.endsWith(`.${path}`))?.[1];
}

/** Marks the label of a field that a form requires. */
export const marked = (isRequired: boolean) => (isRequired ? { labelProps: { className: 'required' } } : {});

interface FieldProps {
  readonly label: string;
  readonly description?: ReactNode;
  /** Path of the field in the request. Its violation appears here. */
  readonly path: string;
  /** Whether the field has the focus when its dialog opens. */
  readonly autoFocus?: boolean;
}

interface TextFieldProps
  extends FieldProps,
    Pick<TextInputProps, 'type' | 'inputMode' | 'maxLength' | 'autoComplete' | 'onKeyDown'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether it says why: what is wrong with the text as a reason is shown while it is typed. */
  readonly isReason?: boolean;
  readonly isRequired?: boolean;
  /** What else is wrong with the text as typed. */
  readonly error?: string | undefined;
}

/** A text field of a form. */
export function TextField({
  path,
  onChange,
  isReason = false,
  isRequired = isReason,
  autoFocus,
  error,
  ...input
}: TextFieldProps) {
  const violation = useViolation(path);
  const problem = isReason && input.value.trim() !== '' ? reasonProblem(input.value) : undefined;
  return (
    <TextInput
      {...input}
      {...marked(isRequired)}
      aria-required={isRequired}
      mb="sm"
      data-autofocus={autoFocus || undefined}
      error={problem ? asSentence(problem) : (error ?? violation)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A date and time in UTC, in the browser's format without a time zone: "2026-11-20T09:30". */
export const DateTimeField = ({ label, ...input }: TextFieldProps) => (
  <TextField {...input} label={`${label} (UTC)`} type="datetime-local" />
);

/** The reason for an action. */
export const ReasonField = ({
  path = 'reason',
  ...input
}: Pick<TextFieldProps, 'value' | 'onChange'> & {
  readonly path?: string;
  /** Who reads it. */
  readonly description: string;
}) => <TextField {...input} path={path} label="Reason" maxLength={200} isReason autoFocus />;

/** A required field of a form that takes one value of an enum. */
export function EnumField<Value extends number>({
  path,
  schema,
  onChange,
  autoFocus,
  ...input
}: FieldProps & {
  readonly schema: DescEnum;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  return (
    <NativeSelect
      {...input}
      {...marked(true)}
      aria-required
      mb="sm"
      data-autofocus={autoFocus || undefined}
      error={useViolation(path)}
      onChange={(event) => onChange(Number(event.currentTarget.value) as Value)}
      data={schema.values.map(({ number }) => ({
        value: String(number),
        label: number === 0 ? 'Choose…' : enumLabel(schema, number),
      }))}
    />
  );
}

/** A checkbox of a form. */
export const CheckField = ({
  onChange,
  ...input
}: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) => <Checkbox {...input} mb="sm" onChange={(event) => onChange(event.currentTarget.checked)} />;
