import { fullPromotionBody, promotionBody } from '../../testing/sample-bodies.ts';
import { pathsAgainst } from '../../testing/violations-of.ts';
import { compileValidator } from '../../validation/validator.ts';
import { promoteSubmissionSchema } from './promote-submission.schema.ts';

const validate = compileValidator(promoteSubmissionSchema('screening_provider'));
const pathsOf = (body: unknown) => pathsAgainst(validate, body);

describe('the body of a promotion', () => {
  it('passes with the required fields, and with all of them', () => {
    expect(pathsOf(promotionBody())).toEqual([]);
    expect(pathsOf(fullPromotionBody())).toEqual([]);
  });

  it('must have each required field', () => {
    expect(pathsOf({})).toEqual(Object.keys(promotionBody()).sort());
  });

  it.each([
    ['external_reference', 'ref-1'],
    ['level', 'application'],
    ['notes', 'x'],
    ['submission_id', 'x'],
  ])('refuses %s = %j', (path, value) => {
    expect(pathsOf({ ...fullPromotionBody(), [path]: value })).toEqual([path]);
  });
});
