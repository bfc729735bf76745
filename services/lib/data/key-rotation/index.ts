export { requireKeysInUse, retireKeys } from './keys-in-use.ts';
export { runRotateKeysCommand, type ValuesOf } from './rotate-keys-command.ts';
export {
  type KeyCount,
  type RotatedDigests,
  type RotatedTable,
  type RotatedValues,
  type Rotation,
  rotatedTable,
} from './rotated-table.ts';
