/** To be built. */
export function PolicyScreen() {
  return <h1>Policy</h1>;
}
