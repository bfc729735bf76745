import type { DescEnum } from '@bufbuild/protobuf';
import { wordOf } from '../words.ts';

interface ChoiceProps {
  readonly label: string;
  readonly schema: DescEnum;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** Selects one value of an enum, or any. */
export const Choice = ({ label, schema, value, onChange }: ChoiceProps) => (
  <label>
    {label}
    <select value={value} onChange={(event) => onChange(Number(event.target.value))}>
      {schema.values.map((one) => (
        <option key={one.number} value={one.number}>
          {one.number === 0 ? 'any' : wordOf(schema, one.number)}
        </option>
      ))}
    </select>
  </label>
);

interface WordsProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Text input that applies when it loses the focus or on Enter. */
export const Words = ({ label, value, onChange }: WordsProps) => (
  <label>
    {label}
    <input
      key={value ?? ''}
      defaultValue={value ?? ''}
      maxLength={128}
      onBlur={(event) => onChange(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChange(event.currentTarget.value.trim());
      }}
    />
  </label>
);
