import { clone, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';

/**
 * `base` with every field that `over` states replaced. Fields are replaced as a whole: two addresses are never mixed.
 * Neither argument changes.
 */
export function mergeMessages<Desc extends DescMessage>(
  schema: Desc,
  base: MessageShape<Desc>,
  over: MessageShape<Desc>,
): MessageShape<Desc> {
  const merged = clone(schema, base);
  const target = reflect(schema, merged);
  const source = reflect(schema, clone(schema, over));
  for (const field of schema.fields) {
    if (source.isSet(field)) target.set(field, source.get(field));
  }
  return merged;
}
