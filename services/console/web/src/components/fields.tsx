import type { DescEnum } from '@bufbuild/protobuf';
import { Checkbox, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';
import { enumLabel } from '../format.ts';

/** The violations that the service found in the fields of a form, by their path in the request. */
export const FieldErrors = createContext<ReadonlyMap<string, string>>(new Map());

interface FieldProps {
  readonly label: string;
  readonly description?: ReactNode;
  /** Path of the field in the request. Its violation appears here. */
  readonly path: string;
}

interface TextFieldProps
  extends FieldProps,
    Pick<TextInputProps, 'type' | 'inputMode' | 'maxLength' | 'autoComplete' | 'onKeyDown'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text field of a form. */
export function TextField({ path, onChange, ...input }: TextFieldProps) {
  const error = useContext(FieldErrors).get(path);
  return (
    <TextInput {...input} mb="sm" error={error} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}

interface EnumFieldProps<Value extends number> extends FieldProps {
  readonly schema: DescEnum;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A field of a form that takes one value of an enum. */
export function EnumField<Value extends number>({ path, schema, onChange, ...input }: EnumFieldProps<Value>) {
  const error = useContext(FieldErrors).get(path);
  return (
    <NativeSelect
      {...input}
      mb="sm"
      error={error}
      onChange={(event) => onChange(Number(event.currentTarget.value) as Value)}
      data={schema.values.map(({ number }) => ({
        value: String(number),
        label: number === 0 ? 'Choose…' : enumLabel(schema, number),
      }))}
    />
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A checkbox of a form. */
export const CheckField = ({ onChange, ...input }: CheckFieldProps) => (
  <Checkbox {...input} mb="sm" onChange={(event) => onChange(event.currentTarget.checked)} />
);
