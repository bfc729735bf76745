export { findEnumValue, withEnumConstants, withSpelledEnums } from './spelled-json.ts';
export { constantPrefixOf, spellEnumValue } from './spelling.ts';
