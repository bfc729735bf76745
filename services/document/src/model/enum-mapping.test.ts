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

/** The public spelling and the number of every value that says something. */
const valuesOf = (schema: DescEnum) =>
  schema.values
    .filter(({ number }) => number !== 0)
    .map((value) => [spellEnumValue(value), value.number] as const);

describe('stored enum names', () => {
  it.each(valuesOf(DocumentCategorySchema))(
    'store the category %s as it is spelled in public',
    (name, value) => {
      expect(categoryNameOf(value)).toBe(name);
      expect(categoryOf(name as never)).toBe(value);
    },
  );

  it.each(valuesOf(EnvironmentSchema))(
    'store the environment %s as it is spelled in public',
    (name, value) => {
      expect(environmentNameOf(value as never)).toBe(name);
      expect(environmentOf(name as never)).toBe(value);
    },
  );

  it.each(valuesOf(ScanStatusSchema))('read the scan status %s', (name, value) => {
    expect(scanStatusOf(name as never)).toBe(value);
  });

  it.each(valuesOf(ScanReasonSchema))('read the scan reason %s', (name, value) => {
    expect(scanReasonOf(name as never)).toBe(value);
  });

  it('have none for a category that is unspecified or unknown', () => {
    expect(categoryNameOf(DocumentCategory.UNSPECIFIED)).toBeUndefined();
    expect(categoryNameOf(99 as DocumentCategory)).toBeUndefined();
  });

  it('leave the status and reason of an unscanned document unspecified', () => {
    expect(scanStatusOf(undefined)).toBe(ScanStatus.UNSPECIFIED);
    expect(scanReasonOf(undefined)).toBe(ScanReason.UNSPECIFIED);
  });
});
