import type { DescEnumValue } from '@bufbuild/protobuf';

/** An enum's value as users write and read it: `SCOPE_CREATE_BASIC` is `create-basic`. */
export function spellEnumValue(value: DescEnumValue): string {
  const prefix = (value.parent.values[0]?.name ?? '').replace(/UNSPECIFIED$/, '');
  return value.name.slice(prefix.length).toLowerCase().replaceAll('_', '-');
}
