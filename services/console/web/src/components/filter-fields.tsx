import type { DescEnum } from '@bufbuild/protobuf';
import { NativeSelect, TextInput } from '@mantine/core';
import { enumName } from '../format.ts';

interface FilterSelectProps {
  readonly label: string;
  readonly schema: DescEnum;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** Selects one value of an enum, or any. */
export const FilterSelect = ({ label, schema, value, onChange }: FilterSelectProps) => (
  <NativeSelect
    size="xs"
    label={label}
    value={String(value)}
    onChange={(event) => onChange(Number(event.currentTarget.value))}
    data={schema.values.map(({ number }) => ({
      value: String(number),
      label: number === 0 ? 'any' : enumName(schema, number),
    }))}
  />
);

interface FilterTextProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Text input that applies when it loses the focus or on Enter. */
export const FilterText = ({ label, value, onChange }: FilterTextProps) => (
  <TextInput
    size="xs"
    label={label}
    key={value ?? ''}
    defaultValue={value ?? ''}
    maxLength={128}
    onBlur={(event) => onChange(event.currentTarget.value.trim())}
    onKeyDown={(event) => {
      if (event.key === 'Enter') onChange(event.currentTarget.value.trim());
    }}
  />
);
