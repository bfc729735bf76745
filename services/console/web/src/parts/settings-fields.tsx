import { type DescEnum, type DescField, getOption, type JsonObject } from '@bufbuild/protobuf';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { rules } from '@supplier/proto/common/v1/options';
import { enumFlag } from '../format.ts';
import {
  fits,
  inOrder,
  isRequired,
  isSwitch,
  isText,
  type Setting,
  type StatedSettings,
  textOf,
  wordsOf,
} from './settings.ts';

/** Shows the present settings. */
export function SettingsFacts({
  settings,
  json,
}: {
  readonly settings: readonly Setting[];
  readonly json: JsonObject;
}) {
  return (
    <dl className="facts">
      {settings.map((setting) => (
        <Fact key={setting.path} name={setting.name} words={wordsOf(setting, textOf(setting, json))} />
      ))}
    </dl>
  );
}

const Fact = ({ name, words }: { readonly name: string; readonly words: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{words}</dd>
  </>
);

interface SettingsFieldsProps {
  readonly settings: readonly Setting[];
  /** The settings as read, or undefined for an account that does not exist yet. */
  readonly json: JsonObject | undefined;
  readonly stated: StatedSettings;
  readonly onChange: (stated: StatedSettings) => void;
}

/** Renders a field for each setting. Only values that differ from those read count as entered. */
export function SettingsFields({ settings, json, stated, onChange }: SettingsFieldsProps) {
  const groups = Map.groupBy(settings, ({ group }) => group);
  const before = (setting: Setting) => (json ? textOf(setting, json) : '');
  const change = (setting: Setting, text: string) => {
    const { [setting.path]: _, ...others } = stated;
    onChange(text === before(setting) ? others : { ...others, [setting.path]: text });
  };
  return [...groups].map(([group, members]) => (
    <fieldset key={group} className="settings">
      <legend>{group}</legend>
      {members.map((setting) => (
        <SettingField
          key={setting.path}
          setting={setting}
          before={before(setting)}
          isNew={json === undefined}
          stated={stated[setting.path]}
          onChange={(text) => change(setting, text)}
        />
      ))}
    </fieldset>
  ));
}

interface SettingFieldProps {
  readonly setting: Setting;
  readonly before: string;
  readonly isNew: boolean;
  readonly stated: string | undefined;
  readonly onChange: (text: string) => void;
}

function SettingField({ setting, before, isNew, stated, onChange }: SettingFieldProps) {
  const { name, path, field } = setting;
  const text = stated ?? before;
  const help = helpOf(setting, text, isNew || stated === undefined ? undefined : before);
  if (isSwitch(field))
    return (
      <Checkbox
        label={name}
        checked={text !== ''}
        onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
      />
    );
  if (field.fieldKind === 'list' && field.enum)
    return (
      <fieldset className="several">
        <legend>{name}</legend>
        <BulkAction schema={field.enum} text={text} onChange={onChange} />
        <small>{help}</small>
      </fieldset>
    );
  if (field.enum)
    return (
      <NativeSelect
        label={name}
        description={help}
        id={path}
        value={text || '0'}
        onChange={(event) => onChange(event.target.value === '0' ? '' : event.target.value)}
        data={choicesOf(field, field.enum)}
      />
    );
  if (isText(field))
    return (
      <TextInput
        label={name}
        description={help}
        id={path}
        value={text}
        maxLength={getOption(field, rules).maxLength}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  const isWrong = !fits(setting, text);
  return (
    <TextInput
      label={name}
      error={isWrong ? 'A whole number, or nothing for none.' : undefined}
      description={help}
      id={path}
      inputMode="numeric"
      value={text}
      maxLength={9}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Returns the error for a value that is invalid, otherwise the value that was there before. */
function helpOf(setting: Setting, text: string, before: string | undefined): string {
  if (!fits(setting, text)) return 'It has to be stated.';
  return before === undefined ? '' : `It is ${wordsOf(setting, before)} now.`;
}

const choicesOf = (field: DescField, schema: DescEnum) =>
  schema.values.map(({ number }) => {
    const nothing = isRequired(field) ? 'choose' : 'any';
    return { value: String(number), label: number === 0 ? nothing : enumFlag(schema, number) };
  });

interface BulkActionProps {
  readonly schema: DescEnum;
  /** The values that can be selected. All, if omitted. */
  readonly among?: readonly number[];
  /** Enum numbers of the contract, separated by commas. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Checkboxes for any number of an enum's values. */
export function BulkAction({ schema, among, text, onChange }: BulkActionProps) {
  const chosen = text === '' ? [] : text.split(',');
  return schema.values
    .filter(({ number }) => number !== 0 && (among?.includes(number) ?? true))
    .map(({ number }) => (
      <Checkbox
        key={number}
        label={enumFlag(schema, number)}
        checked={chosen.includes(String(number))}
        onChange={(event) => {
          const others = chosen.filter((one) => one !== String(number));
          onChange(inOrder(event.currentTarget.checked ? [...others, String(number)] : others));
        }}
      />
    ));
}
