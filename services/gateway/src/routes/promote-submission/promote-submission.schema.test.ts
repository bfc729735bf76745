import { fullPromotionBody, promotionBody } from '../../testing/sample-bodies.ts';
import { pathsAgainst } from '../../testing/violations-of.ts';
import { compileValidator } from '../../validation/validator.ts';
import { promoteSubmissionSchema } from './promote-submission.schema.ts';

const validate = compileValidator(promoteSubmissionSchema('screening_provider'));
const pathsOf = (body: unknown) => pathsAgainst(validate, body);

describe('promoteSubmissionSchema', () => {
  it('accepts the required fields, and all fields', () => {
    expect(pathsOf(promotionBody())).toEqual([]);
    expect(pathsOf(fullPromotionBody())).toEqual([]);
  });

  it('requires each required field', () => {
    expect(pathsOf({})).toEqual(Object.keys(promotionBody()).sort());
  });

  it.each([
    ['external_reference', 'ref-1'],
    ['level', 'application'],
    ['notes', 'x'],
    ['submission_id', 'x'],
  ])('rejects %s = %j', (path, value) => {
    expect(pathsOf({ ...fullPromotionBody(), [path]: value })).toEqual([path]);
  });
});
