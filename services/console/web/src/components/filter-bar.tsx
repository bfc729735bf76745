import type { DescEnum } from '@bufbuild/protobuf';
import { Button, Checkbox, CloseButton, Group, Stack, TextInput, type TextInputProps } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { lastDays } from '../dates.ts';
import { enumLabel } from '../format.ts';
import { DropDown } from './drop-down.tsx';

export const CHIP_BUTTON = { variant: 'transparent', size: 'compact-sm', fw: 500 } as const;
/** How a chip looks, with a value or without. */
export const chipLook = (isSet: boolean) => ({
  bd: '1px solid var(--line)',
  bdrs: 16,
  bg: isSet ? 'var(--blue-soft)' : 'var(--mantine-color-body)',
});

/** The filters of a list, as chips. Each chip opens its choices. */
export const FilterBar = ({ children }: { readonly children: ReactNode }) => (
  <section aria-label="Filters">
    <Group gap={8} mb="sm">
      {children}
    </Group>
  </section>
);

interface ChipProps {
  readonly label: string;
  /** What is chosen: "Accepted, Returned". Empty for no filter. */
  readonly summary: string;
  /** Absent for a filter that is never empty. */
  readonly onClear?: (() => void) | undefined;
  readonly children: (close: () => void) => ReactNode;
}

function FilterChip({ label, summary, onClear, children }: ChipProps) {
  const isSet = summary !== '';
  return (
    <Group gap={0} wrap="nowrap" maw="100%" {...chipLook(isSet)}>
      <DropDown
        label={label}
        button={{
          ...CHIP_BUTTON,
          miw: 0,
          c: isSet ? 'var(--blue)' : 'var(--gray)',
          children: isSet ? `${label}: ${summary}` : `${label} ▾`,
        }}
      >
        {children}
      </DropDown>
      {isSet && onClear ? <CloseButton size="xs" aria-label={`Clear ${label}`} onClick={onClear} /> : null}
    </Group>
  );
}

export interface FilterOption<Value> {
  readonly value: Value;
  readonly label: string;
}

/** Returns the values of an enum as options. */
export const enumOptions = (schema: DescEnum): readonly FilterOption<number>[] =>
  schema.values
    .filter(({ number }) => number > 0)
    .map(({ number }) => ({ value: number, label: enumLabel(schema, number) }));

/** More options than this can be searched. */
const MANY = 12;

/** A chip that filters by any of some values. */
export function ChoiceFilter<Value extends string | number>({
  label,
  options,
  value,
  onChange,
  isSingle = false,
  isRequired = false,
  entered,
}: {
  readonly label: string;
  readonly options: readonly FilterOption<Value>[];
  readonly value: readonly Value[];
  readonly onChange: (value: readonly Value[]) => void;
  /** Whether only one can be chosen. */
  readonly isSingle?: boolean;
  /** Whether one is always chosen. */
  readonly isRequired?: boolean;
  /** Returns a value that is none of the options but was entered in the search field. */
  readonly entered?: (text: string) => Value | undefined;
}) {
  const [search, setSearch] = useState('');
  const labelOf = (one: Value) => options.find((option) => option.value === one)?.label ?? String(one);
  const isFound = (option: FilterOption<Value>) => option.label.toLowerCase().includes(search.toLowerCase());
  const other = entered?.(search.trim());
  const shown = other === undefined ? options.filter(isFound) : [{ value: other, label: String(other) }];
  const toggle = (one: Value, isChosen: boolean) => {
    if (isSingle) onChange(isChosen || isRequired ? [one] : []);
    else onChange(isChosen ? [...value, one] : value.filter((other) => other !== one));
  };
  return (
    <FilterChip
      label={label}
      summary={value.map(labelOf).join(', ')}
      onClear={isRequired ? undefined : () => onChange([])}
    >
      {() => (
        <Stack gap={6} mah={320} style={{ overflowY: 'auto' }}>
          {options.length > MANY || entered ? (
            <TextInput
              size="xs"
              placeholder="Search"
              aria-label={`Search ${label}`}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          ) : null}
          {shown.map((option) => (
            <Checkbox
              key={option.value}
              size="xs"
              label={option.label}
              checked={value.includes(option.value)}
              onChange={(event) => toggle(option.value, event.currentTarget.checked)}
            />
          ))}
        </Stack>
      )}
    </FilterChip>
  );
}

interface TextFilterProps extends Pick<TextInputProps, 'pattern' | 'title'> {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
}

/** A chip that filters by a text, applied with Enter. */
export const TextFilter = ({ label, value = '', onChange, ...input }: TextFilterProps) => (
  <FilterChip label={label} summary={value} onClear={() => onChange('')}>
    {(close) => (
      <form
        onSubmit={(event) => {
          onChange(textOf(event, 'text'));
          close();
        }}
      >
        <Group gap="xs" align="end">
          <TextInput
            size="xs"
            name="text"
            label={label}
            defaultValue={value}
            maxLength={128}
            data-autofocus
            {...input}
          />
          <Button type="submit" size="xs">
            Apply
          </Button>
        </Group>
      </form>
    )}
  </FilterChip>
);

export interface DayRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Ranges that are one click away, by their length in days. */
const RECENT = { Today: 1, 'Last 7 days': 7, 'Last 30 days': 30 } as const;

/** A chip that filters by days in UTC, the last one included, or by times. */
export const DateFilter = ({
  label,
  value: { since = '', until = '' },
  onChange,
  hasTime = false,
}: {
  readonly label: string;
  readonly value: DayRange;
  readonly onChange: (value: { readonly since: string; readonly until: string }) => void;
  /** Whether the range has times, as "2026-11-20T09:30". */
  readonly hasTime?: boolean;
}) => (
  <FilterChip
    label={label}
    summary={summaryOf(since, until)}
    onClear={() => onChange({ since: '', until: '' })}
  >
    {(close) => (
      <form
        onSubmit={(event) => {
          onChange({ since: textOf(event, 'since'), until: textOf(event, 'until') });
          close();
        }}
      >
        <Stack gap="xs">
          {Object.entries(RECENT).map(([name, days]) => (
            <Button
              key={name}
              size="compact-xs"
              onClick={() => {
                onChange({ since: `${lastDays(days).fromDay}${hasTime ? 'T00:00' : ''}`, until: '' });
                close();
              }}
            >
              {name}
            </Button>
          ))}
          {[
            ['since', 'From (UTC)', since],
            ['until', hasTime ? 'Before (UTC)' : 'To (UTC)', until],
          ].map(([name, title, defaultValue]) => (
            <TextInput
              key={name}
              size="xs"
              type={hasTime ? 'datetime-local' : 'date'}
              name={name}
              label={title}
              defaultValue={defaultValue}
            />
          ))}
          <Button type="submit" size="xs" variant="filled">
            Apply
          </Button>
        </Stack>
      </form>
    )}
  </FilterChip>
);

function summaryOf(since: string, until: string): string {
  const [from, to] = [since, until].map((time) => time.replace('T', ' '));
  if (from === '' && to === '') return '';
  if (to === '') return `since ${from}`;
  return from === '' ? `until ${to}` : `${from} to ${to}`;
}

function textOf(event: FormEvent<HTMLFormElement>, name: string): string {
  event.preventDefault();
  return String(new FormData(event.currentTarget).get(name) ?? '').trim();
}
