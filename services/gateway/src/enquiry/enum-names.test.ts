import { BusinessSector, BusinessSectorSchema } from '@supplier/proto/common/v1/enquiry';
import { DocumentCategory, DocumentCategorySchema } from '@supplier/proto/document/v1/document';
import { enumReader, enumWriter } from './enum-names.ts';

describe('enumReader', () => {
  it('reads public names and treats absence as UNSPECIFIED', () => {
    const read = enumReader(BusinessSectorSchema, '-');
    expect(read('motor-trade')).toBe(BusinessSector.MOTOR_TRADE);
    expect(read(undefined)).toBe(BusinessSector.UNSPECIFIED);
    for (const wrong of ['unspecified', 'motor_trade', 'constructor']) expect(() => read(wrong)).toThrow();
  });
});

describe('enumWriter', () => {
  it('writes public names and throws for values outside the contract', () => {
    const write = enumWriter(DocumentCategorySchema, '_');
    expect(write(DocumentCategory.BANK_STATEMENTS)).toBe('bank_statements');
    for (const wrong of [DocumentCategory.UNSPECIFIED, 99]) expect(() => write(wrong)).toThrow();
  });
});
