/**
 * The public spelling of an enum value: its name in lower case, as all closed values of the status object are written.
 * Throws for UNSPECIFIED and for values this build does not know: neither may reach a supplier.
 */
export function publicName(names: Readonly<Record<number, string>>, value: number): string {
  const name = value === 0 ? undefined : names[value];
  if (name === undefined) throw new Error('the enum value has no public name');
  return name.toLowerCase();
}
