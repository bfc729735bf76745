import type { DescEnum } from '@bufbuild/protobuf';
import { getOption, type JsonObject } from '@bufbuild/protobuf';
import {
  Accordion,
  Alert,
  Checkbox,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Text,
  TextInput,
} from '@mantine/core';
import type { TermsLoosening } from '@supplier/proto/account/v1/scheduled_terms';
import { rules } from '@supplier/proto/common/v1/options';
import { useContext, useId, useState } from 'react';
import { FieldErrors, marked, useViolation } from '../../components/fields.tsx';
import { enumLabel, formatTime } from '../../format.ts';
import {
  type Difference,
  type EnteredSettings,
  errorOf,
  formatSetting,
  inOrder,
  isPounds,
  isRequired,
  isSwitch,
  isText,
  SCHEDULED_SETTINGS,
  type Setting,
  summaryOf,
  textOf,
} from './settings.ts';

interface SettingsFieldsProps {
  readonly settings: readonly Setting[];
  /** The settings as read, or undefined for an account that does not exist yet. */
  readonly json?: JsonObject;
  readonly entered: EnteredSettings;
  readonly onChange: (entered: EnteredSettings) => void;
}

/**
 * A field for each setting, in sections that say what is set. Those that lack a required value are open, and those with
 * an error. Only values that differ from those read count as entered.
 */
export function SettingsFields({ settings, json, entered, onChange }: SettingsFieldsProps) {
  const violations = [...useContext(FieldErrors).keys()];
  const groups = [...Map.groupBy(settings, ({ group }) => group)];
  const id = useId();
  const textNow = (setting: Setting) => entered[setting.path] ?? (json ? textOf(setting, json) : '');
  const [opened, setOpened] = useState(() => groupsWith(groups, (one) => errorOf(one, textNow(one))));
  const isRefused = ({ path }: Setting) => violations.some((one) => `.${one}`.endsWith(`.${path}`));
  return (
    <Accordion
      multiple
      variant="contained"
      mb="sm"
      value={[...opened, ...groupsWith(groups, isRefused)]}
      onChange={setOpened}
    >
      {groups.map(([group, members]) => (
        <Accordion.Item key={group} value={slugOf(group)}>
          <Accordion.Control>
            <span id={`${id}${slugOf(group)}`}>{group}</span>
            <Text size="xs" c="dimmed">
              {summaryOf(members, textNow)}
            </Text>
          </Accordion.Control>
          <Accordion.Panel aria-labelledby={`${id}${slugOf(group)}`}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
              {members.map((setting) => {
                const { [setting.path]: text, ...others } = entered;
                const before = json ? textOf(setting, json) : '';
                return (
                  <SettingField
                    key={setting.path}
                    setting={setting}
                    text={text ?? before}
                    isEntered={text !== undefined}
                    before={json && text !== undefined ? before : undefined}
                    onChange={(next) =>
                      onChange(next === before ? others : { ...others, [setting.path]: next })
                    }
                  />
                );
              })}
            </SimpleGrid>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

/** Returns the sections in which the condition holds for a setting. */
const groupsWith = (
  groups: readonly (readonly [string, readonly Setting[]])[],
  condition: (setting: Setting) => unknown,
): string[] => groups.filter(([, members]) => members.some(condition)).map(([group]) => slugOf(group));

/** Returns the name of a section as part of an id, which has no spaces. */
const slugOf = (group: string): string => group.replaceAll(' ', '-');

interface SettingFieldProps {
  readonly setting: Setting;
  readonly text: string;
  readonly isEntered: boolean;
  /** The value that the entered one replaces. */
  readonly before: string | undefined;
  readonly onChange: (text: string) => void;
}

function SettingField({ setting, text, isEntered, before, onChange }: SettingFieldProps) {
  const { label, path, field } = setting;
  const violation = useViolation(path);
  const input = {
    label,
    id: path,
    ...marked(isRequired(field)),
    // Below, so that fields beside each other stay on one line.
    inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
    description: before === undefined ? undefined : `Currently ${formatSetting(setting, before)}`,
    error: (isEntered ? errorOf(setting, text) : undefined) ?? violation,
  };
  if (isSwitch(field))
    return (
      <Checkbox
        label={label}
        checked={text !== ''}
        onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
      />
    );
  const { enum: schema } = field;
  if (field.fieldKind === 'list' && schema)
    return <EnumCheckboxes {...input} schema={schema} text={text} onChange={onChange} />;
  if (schema)
    return (
      <NativeSelect
        {...input}
        aria-required={isRequired(field)}
        value={text || '0'}
        onChange={({ currentTarget: { value } }) => onChange(value === '0' ? '' : value)}
        data={schema.values.map(({ number }) => ({
          value: String(number),
          label: number > 0 ? enumLabel(schema, number) : isRequired(field) ? 'Choose…' : 'None',
        }))}
      />
    );
  if (isText(field))
    return (
      <TextInput
        {...input}
        aria-required={isRequired(field)}
        value={text}
        maxLength={getOption(field, rules).maxLength}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <NumberInput
      {...input}
      value={text}
      placeholder="None"
      leftSection={isPounds(field) ? '£' : undefined}
      thousandSeparator=","
      hideControls
      clampBehavior="none"
      onChange={(value) => onChange(String(value))}
    />
  );
}

interface EnumCheckboxesProps {
  readonly mb?: 'sm';
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly schema: DescEnum;
  /** The values that can be chosen. All, if omitted. */
  readonly among?: readonly number[];
  /** Enum numbers of the contract, separated by commas. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Checkboxes for any number of an enum's values, over the full width of a form. */
export const EnumCheckboxes = ({ schema, among, text, onChange, ...group }: EnumCheckboxesProps) => (
  <Checkbox.Group
    {...group}
    style={{ gridColumn: '1 / -1' }}
    value={text === '' ? [] : text.split(',')}
    onChange={(chosen) => onChange(inOrder(chosen))}
  >
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs" verticalSpacing={6} mt={6}>
      {schema.values
        .filter(({ number }) => number !== 0 && (among?.includes(number) ?? true))
        .map(({ number }) => (
          <Checkbox key={number} size="xs" value={String(number)} label={enumLabel(schema, number)} />
        ))}
    </SimpleGrid>
  </Checkbox.Group>
);

/** Settings with their old and new values. */
export const Differences = ({ differences }: { readonly differences: readonly Difference[] }) =>
  differences.length === 0 ? (
    <Text c="dimmed">No changes.</Text>
  ) : (
    differences.map(({ label, before, after }) => (
      <Text key={label} size="sm" component="div">
        {label}:{' '}
        <Text span c="dimmed" td="line-through">
          {before}
        </Text>{' '}
        → <strong>{after}</strong>
      </Text>
    ))
  );

/** Returns a warning if scheduled terms will let more through than the terms before them, otherwise undefined. */
export const warningOf = ({ loosenedLater }: { readonly loosenedLater: readonly TermsLoosening[] }) =>
  loosenedLater.length > 0 ? (
    <Alert color="yellow" role="note" m="sm" title="Scheduled terms will loosen these terms">
      {loosenedLater.map(({ effectiveFrom, names }) => (
        <div key={formatTime(effectiveFrom)}>
          {`From ${formatTime(effectiveFrom)}: ${names.map(labelOf).join(', ')}`}
        </div>
      ))}
    </Alert>
  ) : undefined;

const labelOf = (path: string) => SCHEDULED_SETTINGS.find((one) => one.path === path)?.label ?? path;
