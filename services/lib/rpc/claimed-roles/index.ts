/** More than any real user has. */
const MAX_ROLES = 200;
const MAX_PATH_CHARACTERS = 200;
const MAX_PATH_NAMES = 8;
/** Names separated by dots; a backslash escapes a dot inside a name. */
const PATH = /^(?:\\.|[^.\\])+(?:\.(?:\\.|[^.\\])+)*$/su;
const NAME = /(?:\\.|[^.\\])+/gsu;

/** Reads the roles that a token claims; undefined when the claim is not a list of roles. */
export type ClaimedRoles = (claims: object) => readonly string[] | undefined;

/** Returns whether the text can name a claim: `roles`, `realm_access.roles`, `https://leads.example/roles`. */
export function isClaimPath(text: string): boolean {
  return text.length <= MAX_PATH_CHARACTERS && PATH.test(text) && namesOf(text).length <= MAX_PATH_NAMES;
}

/**
 * Reads up to 200 roles from the claim at `path`, a full name or a path through objects: a list, or names separated by
 * spaces. A token without the claim has no roles.
 */
export function claimedRoles(path: string): ClaimedRoles {
  const names = namesOf(path);
  return (claims) =>
    rolesIn(Object.hasOwn(claims, path) ? ownValue(claims, path) : names.reduce(ownValue, claims));
}

function rolesIn(claim: unknown): readonly string[] | undefined {
  if (claim === undefined || claim === null) return [];
  const roles: unknown[] | undefined =
    typeof claim === 'string' ? claim.split(' ').filter(Boolean) : Array.isArray(claim) ? claim : undefined;
  if (!roles || roles.length > MAX_ROLES) return undefined;
  const texts = roles.filter((role) => typeof role === 'string');
  return texts.length === roles.length ? texts : undefined;
}

/** Reads own properties only, so that nothing inherited counts as a claim. */
function ownValue(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function namesOf(path: string): string[] {
  return (path.match(NAME) ?? []).map((name) => name.replaceAll(/\\(.)/gsu, '$1'));
}
