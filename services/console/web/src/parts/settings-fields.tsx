import { Checkbox, FormGroup, HTMLSelect, InputGroup } from '@blueprintjs/core';
import type { DescEnum, JsonObject } from '@bufbuild/protobuf';
import { flagOf } from '../words.ts';
import { fits, inOrder, isSwitch, type Setting, type Stated, textOf, wordsOf } from './settings.ts';

/** Settings as they are, in groups. */
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
  /** As they were read. */
  readonly json: JsonObject;
  readonly stated: Stated;
  readonly onChange: (stated: Stated) => void;
}

/** A field for each setting. Only what differs from what was read counts as stated. */
export function SettingsFields({ settings, json, stated, onChange }: SettingsFieldsProps) {
  const groups = Map.groupBy(settings, ({ group }) => group);
  const change = (setting: Setting, text: string) => {
    const { [setting.path]: _, ...others } = stated;
    onChange(text === textOf(setting, json) ? others : { ...others, [setting.path]: text });
  };
  return [...groups].map(([group, members]) => (
    <fieldset key={group} className="settings">
      <legend>{group}</legend>
      {members.map((setting) => (
        <SettingField
          key={setting.path}
          setting={setting}
          before={textOf(setting, json)}
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
  readonly stated: string | undefined;
  readonly onChange: (text: string) => void;
}

function SettingField({ setting, before, stated, onChange }: SettingFieldProps) {
  const { name, path, field } = setting;
  const text = stated ?? before;
  const was = stated === undefined ? '' : `It is ${wordsOf(setting, before)} now.`;
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
        <Several schema={field.enum} text={text} onChange={onChange} />
        <small>{was}</small>
      </fieldset>
    );
  if (field.enum)
    return (
      <FormGroup label={name} labelFor={path} helperText={was}>
        <HTMLSelect
          id={path}
          value={text || '0'}
          onChange={(event) => onChange(event.target.value === '0' ? '' : event.target.value)}
          options={choicesOf(field.enum)}
        />
      </FormGroup>
    );
  const isWrong = !fits(setting, text);
  return (
    <FormGroup
      label={name}
      labelFor={path}
      intent={isWrong ? 'danger' : 'none'}
      helperText={isWrong ? 'A whole number, or nothing for none.' : was}
    >
      <InputGroup id={path} inputMode="numeric" value={text} maxLength={9} onValueChange={onChange} />
    </FormGroup>
  );
}

const choicesOf = (schema: DescEnum) =>
  schema.values.map(({ number }) => ({
    value: String(number),
    label: number === 0 ? 'any' : flagOf(schema, number),
  }));

interface SeveralProps {
  readonly schema: DescEnum;
  /** Which of its values can be chosen; all when there is none. */
  readonly among?: readonly number[];
  /** Numbers of the contract, with commas. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Any number of an enum's values. */
export function Several({ schema, among, text, onChange }: SeveralProps) {
  const chosen = text === '' ? [] : text.split(',');
  return schema.values
    .filter(({ number }) => number !== 0 && (among?.includes(number) ?? true))
    .map(({ number }) => (
      <Checkbox
        key={number}
        label={flagOf(schema, number)}
        checked={chosen.includes(String(number))}
        onChange={(event) => {
          const others = chosen.filter((one) => one !== String(number));
          onChange(inOrder(event.currentTarget.checked ? [...others, String(number)] : others));
        }}
      />
    ));
}
