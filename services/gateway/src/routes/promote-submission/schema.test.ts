import { fullPromotionBody, promotionBody } from '../../testing/sample-bodies.ts';
import { pathsAgainst } from '../../testing/violations-of.ts';
import { compileValidator } from '../../validation/validator.ts';
import { promoteSubmissionSchema } from './schema.ts';

const validate = compileValidator(promoteSubmissionSchema('screening_provider'));
const pathsOf = (body: unknown) => pathsAgainst(validate, body);

describe('the body of a promotion', () => {
  it('passes with the twelve required fields, and with all of them', () => {
    expect(Object.keys(promotionBody())).toHaveLength(12);
    expect(pathsOf(promotionBody())).toEqual([]);
    expect(Object.keys(fullPromotionBody())).toHaveLength(27);
    expect(pathsOf(fullPromotionBody())).toEqual([]);
  });

  it('must have each required field', () => {
    expect(pathsOf({})).toEqual(Object.keys(promotionBody()).sort());
  });

  it('needs none of the optional fields', () => {
    for (const name of Object.keys(fullPromotionBody()).filter((name) => !(name in promotionBody()))) {
      const { [name]: _left, ...body } = fullPromotionBody() as Record<string, unknown>;
      expect(pathsOf(body)).toEqual([]);
    }
  });

  it.each([
    ['operation_idempotency_key', 'x'.repeat(7)],
    ['operation_idempotency_key', 'x'.repeat(129)],
    ['operation_idempotency_key', 12_345_678],
    ['funding_amount', 999],
    ['external_reference', 'ref-1'],
    ['level', 'application'],
    ['notes', 'x'],
    ['submission_id', 'x'],
  ])('refuses %s = %j', (path, value) => {
    expect(pathsOf({ ...fullPromotionBody(), [path]: value })).toEqual([path]);
  });

  it.each([8, 128])('takes a key of %s code points', (length) => {
    expect(pathsOf({ ...promotionBody(), operation_idempotency_key: '😀'.repeat(length) })).toEqual([]);
  });
});
