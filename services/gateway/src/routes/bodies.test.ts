import { parseStrictJson } from '../json/strict-json.ts';
import { operations } from '../operations.ts';
import { type BodyField, fieldsOf, textWith } from '../testing/body-fields.ts';
import { boundaryValues } from '../testing/boundary-values.ts';
import {
  finalizeBody,
  fullCorrectionBody,
  fullDeliveryBody,
  fullPromotionBody,
  uploadBody,
} from '../testing/sample-bodies.ts';
import { fullBody } from '../testing/sample-body.ts';
import { pathsAgainst } from '../testing/violations-of.ts';
import { compileValidator } from '../validation/validator.ts';

/** A body with every field at every depth, for each operation that takes one. */
const FULL: Readonly<Record<string, object>> = {
  createSubmission: fullBody(),
  createDeliverySubmission: fullDeliveryBody(),
  promoteSubmission: fullPromotionBody(),
  correctContact: fullCorrectionBody(),
  createUploadUrl: uploadBody(),
  finalizeUpload: finalizeBody(),
};

const STRANGERS = ['nickname', '__proto__', 'constructor', 'toString', 'External_Reference', 'first_name '];

const pathsOf = (fields: readonly BodyField[]): string[] => fields.map(({ path }) => path);

describe.each(
  operations.flatMap(({ reference: { id, body } }) =>
    body ? [[id, body('screening_provider')] as const] : [],
  ),
)('body of %s', (id, schema) => {
  const full = FULL[id] ?? {};
  const validate = compileValidator(schema);
  const fields = fieldsOf(schema);
  const pathsIn = (text: string) => pathsAgainst(validate, parseStrictJson(Buffer.from(text)));
  const pathsWith = (path: string, raw: string | undefined) => pathsIn(textWith(full, path, raw));

  it('has every field in the sample that these tests modify', () => {
    const sampled = fields.filter(({ path }) => valueAt(full, path) === undefined);
    expect(sampled).toEqual([]);
    expect(pathsIn(JSON.stringify(full))).toEqual([]);
  });

  it.each(
    fields
      .map(({ path, rule }) => [path, boundaryValues(rule)] as const)
      .map(([path, values]) => [path, values.promise, values] as const),
  )('%s %s, and nothing else', (path, _promise, { inside, outside }) => {
    for (const raw of inside) expect([raw, pathsWith(path, raw)]).toEqual([raw, []]);
    for (const raw of outside) expect([raw, [...new Set(pathsWith(path, raw))]]).toEqual([raw, [path]]);
  });

  const named = fields.filter(({ path }) => !path.endsWith('.0'));

  it.each(pathsOf(named.filter(({ required }) => required)))(
    'requires %s and names it when it is missing',
    (path) => {
      expect(pathsWith(path, undefined)).toEqual([path]);
    },
  );

  // Not every body has an optional field.
  const optional = pathsOf(named.filter(({ required }) => !required));
  if (optional.length > 0)
    it.each(optional)('does not require %s', (path) => {
      expect(pathsWith(path, undefined)).toEqual([]);
    });

  it.each(['', ...pathsOf(fields.filter(({ rule }) => rule.type === 'object')).map((path) => `${path}.`)])(
    'rejects unknown fields in "%s"',
    (prefix) => {
      for (const name of STRANGERS) expect(pathsWith(prefix + name, '"x"')).toEqual([prefix + name]);
    },
  );
});

function valueAt(body: object, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], body);
}
