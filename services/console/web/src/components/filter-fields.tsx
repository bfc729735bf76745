import { TextInput } from '@mantine/core';

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
