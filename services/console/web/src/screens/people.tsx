/** To be built. */
export function PeopleScreen() {
  return <h1>People</h1>;
}
