import type { DescEnum } from '@bufbuild/protobuf';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { EnvironmentSchema } from '@supplier/proto/common/v1/status';
import {
  DocumentCategory,
  DocumentCategorySchema,
  ScanReason,
  ScanReasonSchema,
  ScanStatus,
  ScanStatusSchema,
} from '@supplier/proto/document/v1/document';
import {
  categoryNameOf,
  categoryOf,
  environmentNameOf,
  environmentOf,
  scanReasonOf,
  scanStatusOf,
} from './enum-mapping.ts';

/** The public spelling and the number of every value except UNSPECIFIED. */
const valuesOf = (schema: DescEnum) =>
  schema.values
    .filter(({ number }) => number !== 0)
    .map((value) => [spellEnumValue(value), value.number] as const);

describe('stored enum names', () => {
  it.each(valuesOf(DocumentCategorySchema))('use the public spelling of category %s', (name, value) => {
    expect(categoryNameOf(value)).toBe(name);
    expect(categoryOf(name as never)).toBe(value);
  });

  it.each(valuesOf(EnvironmentSchema))('use the public spelling of environment %s', (name, value) => {
    expect(environmentNameOf(value as never)).toBe(name);
    expect(environmentOf(name as never)).toBe(value);
  });

  it.each(valuesOf(ScanStatusSchema))('map scan status %s', (name, value) => {
    expect(scanStatusOf(name as never)).toBe(value);
  });

  it.each(valuesOf(ScanReasonSchema))('map scan reason %s', (name, value) => {
    expect(scanReasonOf(name as never)).toBe(value);
  });

  it('return undefined for an unspecified or unknown category', () => {
    expect(categoryNameOf(DocumentCategory.UNSPECIFIED)).toBeUndefined();
    expect(categoryNameOf(99 as DocumentCategory)).toBeUndefined();
  });

  it('leave the status and reason of an unscanned document unspecified', () => {
    expect(scanStatusOf(undefined)).toBe(ScanStatus.UNSPECIFIED);
    expect(scanReasonOf(undefined)).toBe(ScanReason.UNSPECIFIED);
  });
});
