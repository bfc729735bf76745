/** The maximum length of text that is parsed. */
const MAX_LENGTH = 200;
const ESSENCE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;
const UTF_8 = /^charset=(?:utf-8|"utf-8")$/;

/** Returns the media type in lower case. Only text types may have a parameter: `charset=utf-8`. */
export function mediaTypeOf(text: string): string | undefined {
  // Only ASCII is accepted: some other letters have ASCII lower-case forms.
  if (text.length > MAX_LENGTH || !/^[\t\x20-\x7e]*$/.test(text)) return undefined;
  const [essence = '', ...rest] = text.toLowerCase().split(/[\t ]*;[\t ]*/);
  const parameters = rest.filter((parameter) => parameter !== '');
  const areAllowed =
    parameters.length === 0 ||
    (parameters.length === 1 && essence.startsWith('text/') && UTF_8.test(parameters[0] ?? ''));
  return ESSENCE.test(essence) && areAllowed ? essence : undefined;
}
