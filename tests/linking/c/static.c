/* Linked with a static archive: prints what is defined in it. */
void linking_print(void);

int main(void) {
    linking_print();
    return 0;
}
