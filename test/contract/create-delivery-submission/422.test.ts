import { delivery, fullDelivery, minimalDelivery } from '../../harness/enquiries.ts';
import { pathsOf, refusalOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';
import { NOTES } from '../create-submission/fields.ts';
import {
  outsideText,
  pathsOfRows,
  type Row,
  strangersTo,
  together,
  withRows,
  wrongValues,
} from '../create-submission/invalid-values.ts';

const alpha = supplier('alpha');

const WRONG: readonly Row[] = [
  ...wrongValues(fullDelivery()),
  ...strangersTo(fullDelivery()),
  ...outsideText(NOTES),
  ['level', '"application"'],
  ['contact_expectation.channels', 'null'],
  ['__proto__', '{}'],
  ['nickname', '"x"'],
];

describe('delivery create 422', () => {
  it('names every invalid field and no other, and stores nothing', async () => {
    for (const rows of together(WRONG)) {
      const body = fullDelivery();
      expect(pathsOf(await alpha.createBasic(withRows(body, rows)))).toEqual(pathsOfRows(rows));
      refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
    }
  });

  it('names every missing field', async () => {
    expect(pathsOf(await alpha.createBasic({}))).toEqual(Object.keys(minimalDelivery()).sort());
  });

  it('requires an email address where email is the preferred method', async () => {
    expect(pathsOf(await alpha.createBasic(delivery({ preferred_contact_method: 'email' })))).toEqual([
      'email',
    ]);
  });
});
