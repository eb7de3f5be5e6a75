/* Prints the definitions of a static archive that it is linked with. */
void linking_print(void);

int main(void) {
    linking_print();
    return 0;
}
