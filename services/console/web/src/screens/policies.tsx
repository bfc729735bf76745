/** To be built. */
export function PoliciesScreen() {
  return <h1>Policies</h1>;
}
